import { Button } from "@mantine/core";
import { type RefObject, useEffect, useRef, useState } from "react";
import { PlusIcon } from "../../parts/icons.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { CardBox } from "./card-box.tsx";
import * as order from "./card-order.ts";
import { type Dragged, useDrag } from "./card-order.ts";
import styles from "./cards.module.css";
import { handleHintId } from "./handle.tsx";
import { followsNothing, type Services } from "./services.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

const maxCards = 50;

export const nameHandle = (dragged: Dragged) =>
  dragged.kind === "card" ? dragged.cardKey : `${dragged.cardKey} ${dragged.serviceId}`;

/** Restores the focus after a move to another card, which creates a new element. */
function useMovedFocus(root: RefObject<HTMLElement | null>) {
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    const handles = root.current?.querySelectorAll<HTMLElement>("[data-handle]") ?? [];
    [...handles].find(({ dataset }) => dataset.handle === wanted)?.focus();
    setWanted(null);
  }, [wanted, root]);
  return setWanted;
}

/** Moves a card or a service and announces its new position. */
function useMoves(editor: PageEditor, services: Services, root: RefObject<HTMLElement | null>) {
  const [voice, setVoice] = useState("");
  const focus = useMovedFocus(root);
  const { values, change } = editor;
  const { cards } = values;
  const move = (dragged: Dragged, place: order.DropPlace) => {
    const moved =
      dragged.kind === "card"
        ? order.moveCard(cards, dragged.cardKey, place.index)
        : order.moveService(cards, dragged, place);
    if (moved === cards) return;
    change({ cards: moved });
    if (dragged.kind === "card") {
      const at = moved.findIndex(({ key }) => key === dragged.cardKey);
      setVoice(words.movedCard(moved[at]?.name ?? "", at + 1, moved.length));
      focus(nameHandle(dragged));
      return;
    }
    const now = { cardKey: place.cardKey, serviceId: dragged.serviceId };
    const found = order.findPosition(moved, now);
    if (found) setVoice(words.movedService(services.nameOf(dragged.serviceId), found));
    focus(nameHandle({ kind: "service", ...now }));
  };
  const step = (dragged: Dragged, by: -1 | 1) => {
    if (dragged.kind === "service") {
      const place = order.stepService(cards, dragged, by);
      if (place !== null) move(dragged, place);
      return;
    }
    const index = order.stepCard(cards, dragged.cardKey, by);
    if (index !== null) move(dragged, { cardKey: dragged.cardKey, index });
  };
  return { voice, move, step };
}

interface CardsFieldsProps {
  readonly editor: PageEditor;
  readonly services: Services;
  readonly error: unknown;
}

/** Selects the name of a new card, so that typing replaces it. */
function useFreshCard(root: RefObject<HTMLElement | null>) {
  const [key, setKey] = useState<string | null>(null);
  useEffect(() => {
    if (key === null) return;
    root.current?.querySelector<HTMLInputElement>(`[data-card="${key}"] input`)?.select();
    setKey(null);
  }, [key, root]);
  return setKey;
}

/** Counts the services on the cards that follow no check. */
function countLooseServices(cards: order.Cards, services: Services): number {
  const ids = new Set(cards.flatMap(({ serviceIds }) => serviceIds));
  return services.list.filter((service) => ids.has(service.id) && followsNothing(service)).length;
}

/** Edits the cards of the page and their services. */
export function CardsFields({ editor, services, error }: CardsFieldsProps) {
  const root = useRef<HTMLDivElement>(null);
  const { voice, move, step } = useMoves(editor, services, root);
  const { drag, begin } = useDrag(root, move);
  const setFresh = useFreshCard(root);
  const { cards } = editor.values;
  const add = () => {
    const key = crypto.randomUUID?.() ?? `new-${cards.length}-${performance.now()}`;
    editor.change({ cards: order.addCard(cards, { key, name: words.newCard(cards.length + 1) }) });
    setFresh(key);
  };
  const loose = countLooseServices(cards, services);
  const isLast = drag?.dragged.kind === "card" && drag.place.index === cards.length;
  return (
    <Stack ref={root}>
      <p id={handleHintId} className="unseen">
        {words.moveHint}
      </p>
      <p className="unseen" role="status">
        {voice}
      </p>
      {loose > 0 && (
        <p className={`${textStyles.fair} ${textStyles.small}`} role="status">
          {words.followNothing(loose)}
        </p>
      )}
      {cards.length === 0 && <p className={textStyles.hint}>{words.noCards}</p>}
      {cards.map((card, index) => (
        <CardBox
          key={card.key}
          card={card}
          index={index}
          editor={editor}
          services={services}
          error={error}
          drag={drag}
          onGrab={begin}
          onStep={step}
        />
      ))}
      {isLast && <div className={styles.line} />}
      <div>
        <Button
          variant="default"
          leftSection={<PlusIcon size={16} />}
          disabled={cards.length >= maxCards}
          onClick={add}
        >
          {words.addCard}
        </Button>
      </div>
    </Stack>
  );
}
