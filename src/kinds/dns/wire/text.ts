/**
 * Formats untrusted bytes as text: printable ASCII stays, other bytes become a backslash and three
 * digits, as in zone files (RFC 1035, section 5.1).
 */
export function escapeBytes(bytes: Uint8Array, marked: string): string {
  let text = "";
  for (const byte of bytes) {
    if (byte < 0x20 || byte > 0x7e) {
      text += `\\${String(byte).padStart(3, "0")}`;
      continue;
    }
    const character = String.fromCharCode(byte);
    text += character === "\\" || marked.includes(character) ? `\\${character}` : character;
  }
  return text;
}

export function quoteBytes(bytes: Uint8Array): string {
  return `"${escapeBytes(bytes, '"')}"`;
}
