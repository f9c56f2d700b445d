/** Loaded with the first use of a passkey, to keep its parsers out of the start. */
let loaded: Promise<typeof import("@simplewebauthn/server")> | undefined;

export function loadWebauthn(): Promise<typeof import("@simplewebauthn/server")> {
  loaded ??= import("@simplewebauthn/server");
  return loaded;
}
