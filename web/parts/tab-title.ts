/** The title of the browser's tab: "(54) Shop · Vedette". Pure. */
export function formatTabTitle(failing: number, title: string | undefined): string {
  const own = title === undefined || title === "" ? "Vedette" : `${title} · Vedette`;
  return failing === 0 ? own : `(${failing}) ${own}`;
}
