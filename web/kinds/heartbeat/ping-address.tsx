import { CopyButton } from "../../parts/copy-button.tsx";
import styles from "../run-parts/run-parts.module.css";
import { Part } from "../run-parts/run-parts.tsx";
import { words } from "../run-parts/words.ts";
import type { RunViewProps } from "../run-views.ts";

/** The address that the job pings, to copy. */
export function PingAddress({ check }: Pick<RunViewProps, "check">) {
  if (!("heartbeat" in check)) return null;
  const { pingUrl } = check.heartbeat as { readonly pingUrl?: string };
  if (pingUrl === undefined) return null;
  return (
    <Part title={words.pingAddress}>
      <div className={styles.copied}>
        <code>{pingUrl}</code>
        <CopyButton text={pingUrl} label={words.copyAddress} />
      </div>
    </Part>
  );
}
