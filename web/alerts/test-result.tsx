import type { Schemas } from "../api/client.ts";
import { Callout } from "../parts/blocks.tsx";
import { formatMs } from "../parts/figures.ts";
import textStyles from "../parts/text.module.css";
import { words } from "./words.ts";

const own = words.channel;

/** Shows whether the test was delivered, and the receiver's response. */
export function TestResult({ result }: { readonly result: Schemas["AlertChannelTest"] }) {
  const isSent = result.outcome === "sent";
  return (
    <Callout tone={isSent ? "good" : "bad"} role="status">
      <p>
        <strong>{isSent ? own.arrived : own.notArrived}</strong> {result.reason}
      </p>
      <p>
        {result.statusCode !== null && `${own.status} ${result.statusCode}, `}
        {own.took} {formatMs(result.durationMs)}
      </p>
      {result.responseBody !== null && (
        <>
          <p>{own.answer}:</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
          <pre className={textStyles.code} tabIndex={0}>
            {result.responseBody}
          </pre>
        </>
      )}
      {result.responseBody === null && result.statusCode !== null && <p>{own.noAnswer}</p>}
    </Callout>
  );
}
