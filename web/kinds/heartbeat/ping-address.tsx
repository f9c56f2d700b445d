import { CopyButton } from "../../parts/buttons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { CheckNoteProps, RunViewProps } from "../kind.ts";
import styles from "../run-parts/run-parts.module.css";
import { Part } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";
import { writeCron, writeCurl, writeSystemd } from "./ping-commands.ts";

function readHeartbeat(check: RunViewProps["check"]) {
  if (!("heartbeat" in check)) return null;
  const { heartbeat } = check;
  return { heartbeat, pingUrl: heartbeat.pingUrl };
}

/** Shows the ping URL with a copy button. */
export function PingAddress({ check }: Pick<RunViewProps, "check">) {
  const found = readHeartbeat(check);
  if (found === null) return null;
  return (
    <Part title={words.pingAddress}>
      <CopiedAddress pingUrl={found.pingUrl} />
    </Part>
  );
}

function CopiedAddress({ pingUrl }: { readonly pingUrl: string }) {
  return (
    <Row>
      <code className={textStyles.wrap}>{pingUrl}</code>
      <CopyButton text={pingUrl} label={words.copyAddress} />
    </Row>
  );
}

/** Shows the ping URL and example commands. The commands are collapsed after the first ping. */
export function PingSetup({ check, isWaiting }: CheckNoteProps) {
  const found = readHeartbeat(check);
  if (found === null) return null;
  const { heartbeat, pingUrl } = found;
  const commands = [
    { label: words.byCurl, name: words.copyCurl, text: writeCurl(pingUrl) },
    { label: words.byCron, name: words.copyCron, text: writeCron(pingUrl, heartbeat) },
    { label: words.bySystemd, name: words.copySystemd, text: writeSystemd(pingUrl) },
  ];
  return (
    <Stack as="section" gap={2}>
      <h2>{words.pingAddress}</h2>
      <CopiedAddress pingUrl={pingUrl} />
      <Stack as="details" className={styles.commands} open={isWaiting}>
        <summary>{words.howToPing}</summary>
        {commands.map(({ label, name, text }) => (
          <Stack gap={1} className={styles.command} key={label}>
            <span className={textStyles.muted}>{label}</span>
            <section aria-label={label}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard */}
              <pre className={textStyles.code} tabIndex={0}>
                {text}
              </pre>
            </section>
            <div>
              <CopyButton text={text} name={name} />
            </div>
          </Stack>
        ))}
      </Stack>
    </Stack>
  );
}
