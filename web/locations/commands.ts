/**
 * Commands that start a probe. The key is an environment variable, because other users of the
 * machine can see the arguments of a program.
 */

interface ProbeCommand {
  readonly server: string;
  readonly key: string;
}

export function writeShellCommand({ server, key }: ProbeCommand): string {
  return `PROBE_TOKEN=${key} npm run vedette probe -- --server ${server}`;
}

export function writeContainerCommand({ server, key }: ProbeCommand): string {
  return `docker run -d --restart unless-stopped -v vedette-probe:/data -e PROBE_TOKEN=${key} vedette probe --server ${server}`;
}

/** Derives a slug from a location's name. */
export function suggestSlug(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 30)
    .replaceAll(/^-+|-+$/g, "");
}
