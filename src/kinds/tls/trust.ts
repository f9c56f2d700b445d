import { getCACertificates, setDefaultCACertificates } from "node:tls";

let isDone = false;

/**
 * Makes this thread trust Node's certificates, `NODE_EXTRA_CA_CERTS` and the system store. Reading
 * the system store takes a few tenths of a second, once.
 */
export function trustSystemStore(): void {
  if (isDone) return;
  isDone = true;
  setDefaultCACertificates([
    ...new Set([...getCACertificates("default"), ...getCACertificates("system")]),
  ]);
}
