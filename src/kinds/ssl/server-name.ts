/** What the certificate must be for. */
export function nameOf(request: { readonly hostname: string; readonly serverName: string | null }) {
  return request.serverName ?? request.hostname;
}
