// A folder of a test's own, gone with all that is in it when the test ends.
#pragma once

#include "linn/base/scratch_folder.h"

namespace linn {

using TempFolder = ScratchFolder;

}  // namespace linn
