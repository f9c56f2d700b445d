import { useSession } from "../api/session.ts";
import { Callout } from "../parts/blocks.tsx";
import { LinkButton } from "../parts/buttons.tsx";
import { ActionCard } from "./action-card.tsx";
import styles from "./agent.module.css";
import { confirm, decline } from "./agent-store.ts";
import { AnswerView, SourceList } from "./answer-view.tsx";
import type { Turn } from "./conversation.ts";
import { words } from "./words.ts";

interface TurnViewProps {
  readonly turn: Turn;
  readonly onLeave: () => void;
  readonly onAgain: (question: string) => void;
}

function Failure({ turn, onAgain }: Pick<TurnViewProps, "turn" | "onAgain">) {
  if (turn.failure === null) return null;
  const { message, requestId } = turn.failure;
  return (
    <Callout tone="bad" className={styles.failure} role="alert">
      <p>
        {words.failed}. {message}
      </p>
      {requestId !== null && (
        <p className={styles.muted}>
          {words.requestId} <code>{requestId}</code>
        </p>
      )}
      <LinkButton onClick={() => onAgain(turn.question)}>{words.again}</LinkButton>
    </Callout>
  );
}

/** Shows a question, its answer with sources, and the actions waiting for confirmation. */
export function TurnView({ turn, onLeave, onAgain }: TurnViewProps) {
  const { account } = useSession();
  const isWriting = turn.state === "writing";
  return (
    <article className={styles.turn}>
      <h3 className={styles.question}>
        <span className="unseen">{words.you}: </span>
        {turn.question}
      </h3>
      <AnswerView text={turn.text} sources={turn.sources} onLeave={onLeave} />
      {isWriting && <p className={styles.muted}>{words.writing}</p>}
      {turn.state === "stopped" && <p className={styles.muted}>{words.stopped}</p>}
      <Failure turn={turn} onAgain={onAgain} />
      <SourceList sources={turn.sources} onLeave={onLeave} />
      {turn.cards.map((card) => {
        const actionId = card.action.id;
        const decision = { accountId: account.id, turnId: turn.id, actionId };
        return (
          <ActionCard
            key={actionId}
            card={card}
            onConfirm={() => void confirm(decision)}
            onDecline={() => void decline(decision)}
            onLeave={onLeave}
          />
        );
      })}
    </article>
  );
}
