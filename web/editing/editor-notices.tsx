import { Button, Radio } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Callout } from "../parts/blocks.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { mask } from "../parts/secrets.ts";
import styles from "./editing.module.css";
import { type Change, type Choice, combine, findChanges, type Versions } from "./merge.ts";
import { type OwnedObject, ownerQuery } from "./queries.ts";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

/**
 * Warns if the edited object belongs to a project, which defines its objects as code. The next
 * deployment of the project may undo the user's change.
 */
export function OwnerNotice({ owned }: { readonly owned: OwnedObject }) {
  const { data: owner } = useQuery(ownerQuery(owned));
  if (!owner) return null;
  return (
    <Row gap={4} className={styles.banner} role="status">
      <span>{words.ownedBy(owner.project.name)}</span>
    </Row>
  );
}

interface LeaveGuardProps {
  readonly isDirty: boolean;
  /** Called when the user leaves the screen without saving. */
  readonly onGiveUp: () => void;
}

/**
 * Asks for confirmation before the user leaves a screen with unsaved input. Leaving for the sign-in
 * screen is exempt, because a stored draft is restored after the sign-in.
 */
function LeaveGuard({ isDirty, onGiveUp }: LeaveGuardProps) {
  const dirty = useRef(isDirty);
  const isGivenUp = useRef(false);
  // A user who has confirmed leaving the screen must not be asked again while the next screen
  // loads.
  dirty.current = isDirty && !isGivenUp.current;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      dirty.current && next.pathname !== "/sign-in" && next.pathname !== current.pathname,
    enableBeforeUnload: () => dirty.current,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={status === "blocked"}
      title={words.leaveTitle}
      action={words.leave}
      onConfirm={() => {
        isGivenUp.current = true;
        dirty.current = false;
        onGiveUp();
        proceed?.();
      }}
      onCancel={() => reset?.()}
    >
      <p>{words.leaveText}</p>
    </ConfirmDialog>
  );
}

interface BannerProps {
  readonly text: string;
  readonly action: string;
  readonly onAction: () => void;
}

function Banner({ text, action, onAction }: BannerProps) {
  return (
    <Row gap={4} justify="between" className={styles.banner} role="status">
      <span>{text}</span>
      <Button variant="default" size="compact-sm" onClick={onAction}>
        {action}
      </Button>
    </Row>
  );
}

interface RestoredBannerProps {
  readonly lacksSecrets?: boolean;
  readonly onDiscard: () => void;
}

/** Reports that a draft was restored, with a button that discards the draft. */
function RestoredBanner({ lacksSecrets = false, onDiscard }: RestoredBannerProps) {
  const text = lacksSecrets ? `${words.restored} ${words.restoredSecrets}` : words.restored;
  return <Banner text={text} action={words.discard} onAction={onDiscard} />;
}

/** Labels and formats that present the values of a form to the user. */
export interface Naming {
  /** Name of the edited object, such as "this group". */
  readonly subject: string;
  /** Labels of the fields by field path. */
  readonly labels: ReadonlyMap<string, string>;
  /**
   * Formats a value that is not readable by itself, such as an id. Returns `undefined` for any
   * other value.
   */
  readonly format?: (path: string, value: unknown) => string | undefined;
}

interface ConflictPanelProps<Values extends object> extends Naming {
  readonly conflict: Versions<Values>;
  readonly onResolve: (values: Values) => void;
}

const maxShownLength = 120;

function show(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
    return value.length === 0 ? "–" : value.join(", ");
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === mask) return words.hidden;
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}

/** Shows the fields that another user has changed, and lets the user resolve conflicts. */
export function ConflictPanel<Values extends object>(props: ConflictPanelProps<Values>) {
  const { conflict, subject, labels, format, onResolve } = props;
  const changes = findChanges(conflict);
  const contested = changes.filter(({ isContested }) => isContested);
  const taken = changes.filter(({ isContested }) => !isContested);
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const resolve = (whole: Choice | null) => {
    const all = contested.map(({ path }) => [path, whole ?? choices.get(path) ?? "mine"] as const);
    onResolve(combine(conflict, new Map(all)));
  };
  const title = words.conflictTitle(subject);
  const nameField = (path: string) => labels.get(path) ?? path;
  const showAt = (path: string) => (value: unknown) => format?.(path, value) ?? show(value);
  return (
    <Callout as="section" tone="fair" aria-label={title} role="alert">
      <h2>{title}</h2>
      <p>{words.conflictText}</p>
      {contested.length > 0 && <h3>{words.contested}</h3>}
      {contested.map((change) => (
        <ContestedField
          key={change.path}
          change={change}
          name={nameField(change.path)}
          show={showAt(change.path)}
          choice={choices.get(change.path) ?? "mine"}
          onChoose={(choice) => setChoices(new Map(choices).set(change.path, choice))}
        />
      ))}
      {taken.length > 0 && (
        <>
          <h3>{words.theirsTaken}</h3>
          <Stack as="ul" gap={1} className={styles.taken}>
            {taken.map(({ path, base, theirs }) => (
              <li key={path}>
                <strong>{nameField(path)}</strong>: <del>{showAt(path)(base)}</del>{" "}
                <ins>{showAt(path)(theirs)}</ins>
              </li>
            ))}
          </Stack>
        </>
      )}
      <Row>
        <Button onClick={() => resolve(null)}>{words.useChoice}</Button>
        {contested.length > 0 && (
          <>
            <Button variant="default" onClick={() => resolve("mine")}>
              {words.keepMine}
            </Button>
            <Button variant="default" onClick={() => resolve("theirs")}>
              {words.takeTheirs}
            </Button>
          </>
        )}
      </Row>
    </Callout>
  );
}

interface ContestedFieldProps {
  readonly change: Change;
  readonly name: string;
  readonly show: (value: unknown) => string;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

function ContestedField({ change, name, show, choice, onChoose }: ContestedFieldProps) {
  return (
    <Radio.Group label={name} value={choice} onChange={(value) => onChoose(value as Choice)}>
      <Row gap={6}>
        <Radio value="mine" label={words.mine} description={show(change.mine)} />
        <Radio value="theirs" label={words.theirs} description={show(change.theirs)} />
      </Row>
    </Radio.Group>
  );
}

/** The labels are optional, because a form that only creates objects cannot have conflicts. */
interface EditorNoticesProps<Item, Values extends object> extends Partial<Naming> {
  readonly editor: Omit<Editor<Item, Values>, "change" | "update">;
  /** Called instead of `editor.discard` when the user discards a restored draft. */
  readonly onDiscard?: () => void;
  /**
   * Type and id of the edited object, to find the project that owns it. `null` for a new object;
   * missing in forms of objects that projects cannot own.
   */
  readonly owned?: OwnedObject | null;
}

/**
 * Shows the owning project, a restored draft and changes by other users. Asks before unsaved input
 * is lost.
 */
export function EditorNotices<Item, Values extends object>(
  props: EditorNoticesProps<Item, Values>,
) {
  const { editor, onDiscard, owned, subject = "", labels = new Map(), ...rest } = props;
  const naming: Naming = { subject, labels, ...rest };
  const { conflict, showChanges, isRestored, lacksSecrets } = editor;
  return (
    <>
      {owned && <OwnerNotice owned={owned} />}
      {isRestored && (
        <RestoredBanner lacksSecrets={lacksSecrets} onDiscard={onDiscard ?? editor.discard} />
      )}
      {conflict && <ConflictPanel {...naming} conflict={conflict} onResolve={editor.resolve} />}
      {!conflict && showChanges && (
        <Banner
          text={words.changedElsewhere(subject)}
          action={words.showChanges}
          onAction={showChanges}
        />
      )}
      <LeaveGuard isDirty={editor.isDirty} onGiveUp={editor.close} />
    </>
  );
}
