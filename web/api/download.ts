import { fromAnswer, fromThrown } from "./api-error.ts";
import { readChosenAccount } from "./chosen-account.ts";
import { RequestTimeout } from "./client.ts";

/** Downloads a response as a file. A plain link cannot send the account header. */
export async function downloadFile(path: string, fileName: string): Promise<void> {
  const account = readChosenAccount();
  const timeout = new RequestTimeout();
  timeout.start();
  let response: Response;
  let content: Blob;
  try {
    response = await fetch(path, {
      headers: account === null ? {} : { "x-service-account": account },
      signal: timeout.signal,
    });
    // The timeout covers only the wait for the headers, because a large file may take long.
    timeout.end();
    if (!response.ok) throw fromAnswer(response, await response.json().catch(() => null));
    content = await response.blob();
  } catch (error) {
    throw fromThrown(error);
  }
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // The URL is revoked later, because the browser reads it some time after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
