import { Button } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { ApiError, type Trouble } from "../api/api-error.ts";
import styles from "./error-panel.module.css";
import { useScreenTitle } from "./screen-title.ts";

const advice: Readonly<Record<Trouble, string>> = {
  refused: "Change what you entered and try again.",
  failed: "Try again. If it keeps failing, look in the server's log for the request id.",
  unreachable: "Is the server running, and is this device online?",
  tooSlow: "The server may be busy. Try again in a moment.",
  maybeDone: "The server may be busy.",
  unreadable: "Look at what stands between this browser and the server.",
};

function adviseOn(error: ApiError): string {
  if (error.status === 403) return "Your role does not allow this. An owner can change your role.";
  if (error.status === 404) return "It may have been deleted, or it is in another account.";
  if (error.status === 429) {
    return `Too many requests. Try again in ${error.retryAfterSeconds ?? 60} s.`;
  }
  return advice[error.trouble];
}

interface ErrorPanelProps {
  readonly error: unknown;
  /** What was not possible: "The checks could not be loaded". */
  readonly title?: string;
  readonly onRetry?: (() => void) | undefined;
  /** Nothing else is on the screen: its title is the heading of the page. */
  readonly isScreen?: boolean;
}

/** What went wrong, what to do about it, and the id by which the server's log knows it. */
export function ErrorPanel(props: ErrorPanelProps) {
  const { error, title = "This did not work", onRetry, isScreen = false } = props;
  const Heading = isScreen ? "h1" : "h2";
  useScreenTitle(isScreen ? title : undefined);
  const known = error instanceof ApiError ? error : null;
  return (
    <div className={styles.panel} role="alert">
      <Heading>{title}</Heading>
      <p>{known?.message ?? "The application made a mistake. Loading the page again may help."}</p>
      {known && <p className={styles.advice}>{adviseOn(known)}</p>}
      {known?.requestId && (
        <p className={styles.advice}>
          Request id <code>{known.requestId}</code>
        </p>
      )}
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Above what is still shown, and may have been typed, of a thing that somebody else deleted. */
export function GonePanel({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.status !== 404) return null;
  return (
    <div className={styles.gone}>
      <ErrorPanel error={error} title="This is no longer there" />
    </div>
  );
}

/** For a whole screen that could not be shown. */
export function ErrorScreen({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <div className={styles.screen}>
      <ErrorPanel isScreen error={error} onRetry={() => void router.invalidate()} />
    </div>
  );
}
