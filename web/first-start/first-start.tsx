import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { ApiError } from "../api/api-error.ts";
import { useMay, useSession } from "../api/session.ts";
import { AddressLink } from "../parts/address-link.tsx";
import { CheckIcon } from "../parts/icons.tsx";
import { showNotice } from "../parts/notices.tsx";
import styles from "./first-start.module.css";
import { type Progress, progressQuery, readDone, removeExample, writeDone } from "./queries.ts";
import { words } from "./words.ts";

interface StepProps {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

function Step({ title, text, isDone, children }: StepProps) {
  return (
    <li className={styles.step}>
      <h3 className={styles.title}>
        {title}
        {isDone && (
          <span className={styles.done}>
            <CheckIcon size={16} /> {words.done}
          </span>
        )}
      </h3>
      <p className={styles.text}>{text}</p>
      <p className={styles.action}>{children}</p>
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
    // Whatever was removed is no longer to be seen anywhere.
    onSettled: () => queryClient.invalidateQueries(),
  });
  return (
    <div className={styles.example}>
      <p className={styles.text}>
        {words.example.text} {words.example.lost(countWords(checks))}
      </p>
      <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
        {words.example.remove}
      </Button>
    </div>
  );
}

function Steps({ progress }: { readonly progress: Progress }) {
  const { ownChecks, channels, ownPages, hasExamplePage } = progress;
  return (
    <ol className={styles.steps}>
      <Step {...words.watch} isDone={ownChecks > 0}>
        <AddressLink href="/checks/new">{words.watch.action}</AddressLink>
      </Step>
      <Step {...words.tell} isDone={channels > 0}>
        <AddressLink href="/alerts/channels">{words.tell.action}</AddressLink>
      </Step>
      <Step
        title={words.show.title}
        text={hasExamplePage ? words.show.text : words.show.own}
        isDone={ownPages > 0}
      >
        {hasExamplePage ? (
          <a href="/status/example">{words.show.action}</a>
        ) : (
          <a href="/docs/status-pages">{words.show.guide}</a>
        )}
      </Step>
    </ol>
  );
}

export function useHasFirstSteps(): boolean {
  const mayWrite = useMay("write");
  const { account } = useSession();
  return mayWrite && !readDone(account.id);
}

/** What to do first, for who may do it, until it is done. */
export function FirstStart() {
  const { account } = useSession();
  const isAsked = useHasFirstSteps();
  const { data } = useQuery({ ...progressQuery, enabled: isAsked });
  const isDone = data !== undefined && data.ownChecks > 0 && data.channels > 0;
  const isOver = isDone && data.exampleChecks === 0;
  useEffect(() => {
    if (isOver) writeDone(account.id);
  }, [isOver, account.id]);
  if (!isAsked || data === undefined || isOver) return null;
  return (
    <section className={styles.start} aria-label={words.title}>
      {!isDone && (
        <>
          <h2>{words.title}</h2>
          <Steps progress={data} />
        </>
      )}
      {data.exampleChecks > 0 && <ExampleLine checks={data.exampleChecks} />}
    </section>
  );
}
