import { getCACertificates, setDefaultCACertificates } from "node:tls";

let isDone = false;

/**
 * From now on this thread trusts what Node brings along, what `NODE_EXTRA_CA_CERTS` names, and what
 * the machine trusts. Reading the machine's store takes some tenths of a second, once.
 */
export function trustTheMachine(): void {
  if (isDone) return;
  isDone = true;
  setDefaultCACertificates([
    ...new Set([...getCACertificates("default"), ...getCACertificates("system")]),
  ]);
}
