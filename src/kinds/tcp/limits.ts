// Has no imports, because the socket thread loads it.

/** Maximum length of `data` in characters. */
export const maxDataLength = 4_096;
/** Bytes of a response to read and keep; then the probe closes the connection. */
export const maxKeptBytes = 4_096;
