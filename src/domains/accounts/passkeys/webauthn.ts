/** Loaded when the first passkey is used: it brings parsers that a start need not wait for. */
let loaded: Promise<typeof import("@simplewebauthn/server")> | undefined;

export function loadWebauthn(): Promise<typeof import("@simplewebauthn/server")> {
  loaded ??= import("@simplewebauthn/server");
  return loaded;
}
