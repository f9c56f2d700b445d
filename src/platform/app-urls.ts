/** URLs of screens of the web application. `base` is PUBLIC_URL. */

export const formatCheckUrl = (base: string, checkId: string) => `${base}/checks/${checkId}`;

export const formatRunUrl = (base: string, checkId: string, resultId: string) =>
  `${formatCheckUrl(base, checkId)}?run=${resultId}`;
