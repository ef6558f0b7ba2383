// A temporary folder, removed with its contents at the end of the test.
#pragma once

#include "linn/base/scratch_folder.h"

namespace linn {

using TempFolder = ScratchFolder;

}  // namespace linn
