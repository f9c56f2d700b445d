/**
 * Version of the protocol between servers and probes. Raise it when a message changes its meaning.
 */
export const contractVersion = 1;

/** Unknown fields are ignored, so that versions this far apart work together. */
export const maxVersionsApart = 1;

/**
 * Returns why the two versions are incompatible and which side to upgrade, or `null` if they are
 * compatible.
 */
export function explainVersionGap(
  server: number,
  probe: number,
): { readonly reason: "probe-too-old" | "probe-too-new"; readonly message: string } | null {
  if (Math.abs(server - probe) <= maxVersionsApart) return null;
  const isOld = probe < server;
  const [newer, older] = isOld ? ["server", "probe"] : ["probe", "server"];
  return {
    reason: isOld ? "probe-too-old" : "probe-too-new",
    message:
      `The ${newer} is more than one version ahead of the ${older}: the server speaks version ` +
      `${server} of the contract, the probe version ${probe}. Upgrade the ${older}.`,
  };
}
