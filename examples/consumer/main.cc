// Parses the expression given on the command line and prints it back.
#include <iostream>

#include "linn/base/error.h"
#include "linn/logic/expression.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"
#include "linn/version.h"

int main(int argc, char** argv) {
  const char* text = argc > 1 ? argv[1] : "(rain & !umbrella) -> wet";
  try {
    linn::ExpressionPool pool;
    const linn::Expr expression = linn::parse_expression(pool, text);
    std::cout << linn::to_string(pool, expression) << '\n';
  } catch (const linn::InputError& error) {
    std::cerr << error.what() << '\n' << error.excerpt();
    return 2;
  }
  std::cout << "with linn " << linn::kVersion << '\n';
  return 0;
}
