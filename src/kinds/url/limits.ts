// Without imports, because the socket thread loads it.

/** Bytes of the body that a failing run keeps, once unpacked. */
export const maxKeptBytes = 16_384;
/** Bytes of header fields that it keeps. */
export const maxKeptHeaderBytes = 8_192;
