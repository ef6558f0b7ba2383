// Marks what other programs may use of the library; everything else is hidden.
#pragma once

#define LINN_EXPORT __attribute__((visibility("default")))
