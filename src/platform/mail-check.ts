import { loadNodemailer } from "./mail.ts";

/** Connects, sends EHLO and signs in, without sending mail. Returns what is wrong, or `null`. */
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
    // Never include the server's response: it may contain the user name.
    if (code === "EAUTH") return "it rejected the user or the password.";
    if (code === "ETIMEDOUT") return "it did not respond in time.";
    if (responseCode !== undefined) return `it responded with ${responseCode}.`;
    return `it is unreachable (${code ?? "no reason given"}).`;
  } finally {
    transport.close();
  }
}
