/** Of what servers and probes say to each other. Raise it when a message changes its meaning. */
export const contractVersion = 1;

/** Fields that one side does not know are passed over, so that one version apart works. */
export const maxVersionsApart = 1;

/** Why the two cannot work together, and what to do; null: they can. */
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
