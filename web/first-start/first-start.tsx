import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useSession } from "../api/session.ts";
import blockStyles from "../parts/blocks.module.css";
import { CheckIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./first-start.module.css";
import { listDone, type Progress, removeExample, writeDone } from "./queries.ts";

const words = {
  title: "First steps",
  watch: {
    title: "Add a check",
    text: "Monitor a host, a web page, a port, a certificate or a scheduled job. Paste a list to add many checks at once.",
    action: "Add a check",
    list: "Paste a list",
  },
  tell: {
    title: "Get notified",
    text: "By email, chat, phone or webhook. Send a test to see the response of the receiver.",
    action: "Add a channel",
  },
  show: {
    title: "Publish a status page",
    text: "Show your users what works. The page follows the state of your checks automatically.",
    action: "Create a status page",
    example: "View the example",
  },
  done: "Done",
  hide: "Hide these steps",
  example: {
    text: "The example checks this machine so that the screens show data from the start.",
    remove: "Remove the example",
    lost: (checks: string) => `Removing it deletes ${checks}, a status page and a dashboard.`,
    gone: "The example was removed",
    failed: "The example was not removed completely",
  },
} as const;

interface StepProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly href: string;
  readonly isDone: boolean;
  /** Whether this step is the first unfinished step. */
  readonly isNext: boolean;
  readonly children?: ReactNode;
}

function Step({ title, text, action, href, isDone, isNext, children }: StepProps) {
  return (
    <li className={`${blockStyles.card} ${styles.step}`}>
      <Row as="h3" justify="between">
        {title}
        {isDone && (
          <Row as="span" inline gap={1} className={`${textStyles.good} ${textStyles.small}`}>
            <CheckIcon size={16} /> {words.done}
          </Row>
        )}
      </Row>
      <p className={textStyles.muted}>{text}</p>
      <Row as="p" gap={4} className={styles.action}>
        <Button component={AddressLink} href={href} variant={isNext ? "filled" : "default"}>
          {action}
        </Button>
        {children}
      </Row>
    </li>
  );
}

function countWords(count: number): string {
  return count === 1 ? "1 check" : `${count} checks`;
}

function ExampleLine({ checks }: { readonly checks: number }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: removeExample,
    onSuccess: () => showNotice({ text: words.example.gone }),
    onError: (error) => {
      const why = error instanceof ApiError ? error.message : "";
      showNotice({ text: `${words.example.failed}. ${why}`, tone: "bad" });
    },
    // All queries are renewed, because any of them may contain the example objects.
    onSettled: () => renewQueries(queryClient),
  });
  return (
    <Row gap={3} justify="between">
      <p className={textStyles.muted}>
        {words.example.text} {words.example.lost(countWords(checks))}
      </p>
      <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
        {words.example.remove}
      </Button>
    </Row>
  );
}

function Steps({ progress }: { readonly progress: Progress }) {
  const { watch, tell, show } = words;
  const done = listDone(progress);
  const isNext = (place: number) => done.indexOf(false) === place;
  const [hasCheck = false, hasChannel = false, hasPage = false] = done;
  return (
    <ol className={styles.steps}>
      <Step {...pickWords(watch)} href="/checks/new" isDone={hasCheck} isNext={isNext(0)}>
        <AddressLink href="/checks/new?tab=list">{watch.list}</AddressLink>
      </Step>
      <Step {...pickWords(tell)} href="/alerts/channels" isDone={hasChannel} isNext={isNext(1)} />
      <Step {...pickWords(show)} href="/status-pages/new" isDone={hasPage} isNext={isNext(2)}>
        {progress.hasExamplePage && <a href="/status/example">{show.example}</a>}
      </Step>
    </ol>
  );
}

const pickWords = ({ title, text, action }: Pick<StepProps, "title" | "text" | "action">) => ({
  title,
  text,
  action,
});

/** Shows the first steps of a new account until all steps are finished or the user hides them. */
export function FirstStart({ progress }: { readonly progress: Progress }) {
  const { account } = useSession();
  const [isHidden, setHidden] = useState(false);
  if (isHidden) return null;
  const hide = () => {
    writeDone(account.id);
    setHidden(true);
  };
  return (
    <Stack as="section" gap={4} className={layoutStyles.padded} aria-label={words.title}>
      {listDone(progress).includes(false) && (
        <>
          <Row nowrap gap={3} justify="between">
            <h2>{words.title}</h2>
            <Button variant="subtle" size="compact-sm" onClick={hide}>
              {words.hide}
            </Button>
          </Row>
          <Steps progress={progress} />
        </>
      )}
      {progress.exampleChecks > 0 && <ExampleLine checks={progress.exampleChecks} />}
    </Stack>
  );
}
