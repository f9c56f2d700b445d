import { Button } from "@mantine/core";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiError, type FailureKind } from "../api/api-error.ts";
import { Callout } from "./blocks.tsx";
import styles from "./error-panel.module.css";
import layoutStyles from "./layout.module.css";
import { useScreenTitle } from "./screen-title.ts";
import textStyles from "./text.module.css";

const advice: Readonly<Record<FailureKind, string>> = {
  rejected: "Correct your input and retry.",
  failed: "Retry. If it keeps failing, search the server's log for the request ID.",
  unreachable: "Check that the server is running and that this device is online.",
  tooSlow: "The server may be overloaded. Retry later.",
  maybeDone: "The server may be overloaded.",
  unreadable: "Check the proxy between this browser and the server.",
};

function adviseOn(error: ApiError): string {
  if (error.status === 403)
    return "Your role does not allow this. Ask an owner to change your role.";
  if (error.status === 404) return "It may have been deleted, or it belongs to another account.";
  if (error.status === 429) {
    return `Too many requests. Try again in ${error.retryAfterSeconds ?? 60} s.`;
  }
  return advice[error.kind];
}

interface ErrorPanelProps {
  readonly error: unknown;
  /** Title that says what failed, such as "The checks could not be loaded". */
  readonly title?: string;
  readonly onRetry?: (() => void) | undefined;
  /** Whether the panel is the only content of the screen, so that its title is the main heading. */
  readonly isScreen?: boolean;
}

/** Shows what failed, what to do, and the request id, which the server's log contains. */
export function ErrorPanel(props: ErrorPanelProps) {
  const { error, title = "Something went wrong", onRetry, isScreen = false } = props;
  const Heading = isScreen ? "h1" : "h2";
  useScreenTitle(isScreen ? title : undefined);
  const known = error instanceof ApiError ? error : null;
  return (
    <Callout tone="bad" align="start" className={styles.panel} role="alert">
      <Heading>{title}</Heading>
      <p>{known?.message ?? "An unexpected error occurred. Reload the page."}</p>
      {known && <p className={textStyles.muted}>{adviseOn(known)}</p>}
      {known?.requestId && (
        <p className={textStyles.muted}>
          Request ID <code>{known.requestId}</code>
        </p>
      )}
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Callout>
  );
}

/**
 * Shows above a form that its object was deleted. The form stays, so that the user's input is not
 * lost.
 */
export function GonePanel({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.status !== 404) return null;
  return (
    <div className={styles.gone}>
      <ErrorPanel error={error} title="This was deleted" />
    </div>
  );
}

/** Returns whether the id in the URL is malformed or identifies no existing object. */
const isMissing = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400);

function MissingScreen() {
  const title = "Not found";
  useScreenTitle(title);
  return (
    <div className={layoutStyles.padded}>
      <Callout tone="fair" align="start" className={styles.panel} role="alert">
        <h1>{title}</h1>
        <p>
          It may have been deleted or expired, or it belongs to another account. Check the address.
        </p>
        <Link to="/">Go to the Now screen</Link>
      </Callout>
    </div>
  );
}

/** Screen that is shown if the data of a screen could not be loaded, or if rendering failed. */
export function ErrorScreen({ error }: { readonly error: unknown }) {
  const router = useRouter();
  const { reset } = useQueryErrorResetBoundary();
  // Resets the failed queries, so that they are fetched again when the user returns to the screen.
  useEffect(() => reset(), [reset]);
  // Retries when the device is online again.
  useEffect(() => {
    const retry = () => void router.invalidate();
    addEventListener("online", retry);
    return () => removeEventListener("online", retry);
  }, [router]);
  if (isMissing(error)) return <MissingScreen />;
  const title = error instanceof ApiError ? "This screen could not be loaded" : undefined;
  return (
    <div className={layoutStyles.padded}>
      <ErrorPanel
        isScreen
        error={error}
        {...(title && { title })}
        onRetry={() => void router.invalidate()}
      />
    </div>
  );
}
