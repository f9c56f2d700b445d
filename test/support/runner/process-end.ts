/** What files of a process share, such as a server, ends after the last file. */
const endings: (() => Promise<void>)[] = [];

export function endWithProcess(end: () => Promise<void>): void {
  endings.push(end);
}

export async function endShared(): Promise<void> {
  await Promise.all(endings.splice(0).map((end) => end()));
}
