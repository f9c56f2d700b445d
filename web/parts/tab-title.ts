/** Formats the tab title: "(54) Shop · Vedette". */
export function formatTabTitle(failing: number, title: string | undefined): string {
  const own = title === undefined || title === "" ? "Vedette" : `${title} · Vedette`;
  return failing === 0 ? own : `(${failing}) ${own}`;
}
