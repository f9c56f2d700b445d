/** Returns the name that the certificate must match. */
export function nameOf(request: { readonly hostname: string; readonly serverName: string | null }) {
  return request.serverName ?? request.hostname;
}
