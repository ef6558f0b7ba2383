// Marks what a shared library exports; everything else has hidden visibility.
#pragma once

#define LINN_EXPORT __attribute__((visibility("default")))
