import { loadNodemailer } from "./mail.ts";

/** Connects, says EHLO and signs in; sends nothing. In words what is wrong; null: nothing. */
export async function checkMailServer(url: string, timeoutMs: number): Promise<string | null> {
  const transport = loadNodemailer().createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await transport.verify();
    return null;
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number };
    // Never the server's own words: they may hold the user's name.
    if (code === "EAUTH") return "it does not accept the user or the password.";
    if (code === "ETIMEDOUT") return "it does not answer in time.";
    if (responseCode !== undefined) return `it answered ${responseCode}.`;
    return `it cannot be reached (${code ?? "no reason given"}).`;
  } finally {
    transport.close();
  }
}
