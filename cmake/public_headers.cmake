# The headers that are installed: the public interface. Each compiles alone and needs no other library.
set(linn_public_headers linn/linn.h linn/base/error.h linn/base/export.h linn/version.h)
