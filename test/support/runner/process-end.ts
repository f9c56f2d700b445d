/**
 * Functions that stop resources shared by the test files of a process, such as a server. They run
 * after the last file.
 */
const endings: (() => Promise<void>)[] = [];

export function endWithProcess(end: () => Promise<void>): void {
  endings.push(end);
}

export async function endShared(): Promise<void> {
  await Promise.all(endings.splice(0).map((end) => end()));
}
