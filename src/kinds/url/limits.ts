// Has no imports, because the socket thread loads it.

/** Bytes of the decompressed body that a failing run keeps. */
export const maxKeptBytes = 16_384;
/** Bytes of header fields that a failing run keeps. */
export const maxKeptHeaderBytes = 8_192;
