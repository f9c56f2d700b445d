import { Button, Combobox, Modal, TextInput, useCombobox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { getFieldError } from "../../editing/index.ts";
import { PlusIcon } from "../../parts/icons.tsx";
import { FormLayout, Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { foundChecksQuery } from "../../parts/queries.ts";
import textStyles from "../../parts/text.module.css";
import { useSettled } from "../../parts/use-typed-text.ts";
import * as order from "./card-order.ts";
import { type Drag, type Dragged, useDrag } from "./card-order.ts";
import styles from "./cards.module.css";
import { CrossButton, Handle, handleHintId } from "./handle.tsx";
import type { CardValues } from "./page-values.ts";
import { isAddress } from "./public-name.ts";
import { findServiceOf, followsNothing, type Services, useCreateService } from "./queries.ts";
import { ServiceRow } from "./service-row.tsx";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

const maxShown = 50;
const settleMs = 200;
const createValue = "create";

interface ServicePickerProps {
  readonly card: CardValues;
  readonly services: Services;
  readonly onAdd: (serviceId: string) => void;
}

/** Returns what a card can add: checks, existing services, and a new service without a check. */
function useOffers({ card, services }: ServicePickerProps, text: string) {
  const wanted = text.trim().toLowerCase();
  const { data } = useQuery(foundChecksQuery(useSettled(text, settleMs).trim().slice(0, 255)));
  const isOn = (id: string | undefined) => id !== undefined && card.serviceIds.includes(id);
  const entries = data?.entries ?? [];
  const checks = entries.filter(({ checkId }) => !isOn(findServiceOf(services, checkId)?.id));
  const offered = new Set(checks.map(({ checkId }) => findServiceOf(services, checkId)?.id));
  // Adding an offered check to the card adds the service for this check, if that service exists.
  // The service is therefore not listed a second time.
  const others = services.list.filter(({ id }) => !isOn(id) && !offered.has(id));
  const found = others.filter(({ name }) => name.toLowerCase().includes(wanted));
  const isKnown = services.list.some(({ name }) => name.toLowerCase() === wanted);
  const mayCreate = wanted !== "" && !isKnown && services.isLoaded;
  const more = (data?.total ?? 0) - entries.length;
  return { checks, found: found.slice(0, maxShown), mayCreate, more };
}

interface OfferedOptionsProps {
  readonly offers: ReturnType<typeof useOffers>;
  readonly text: string;
}

function OfferedOptions({ offers, text }: OfferedOptionsProps) {
  const { checks, found, mayCreate, more } = offers;
  const isEmpty = checks.length + found.length === 0 && !mayCreate;
  return (
    <Combobox.Dropdown>
      <Combobox.Options className={listStyles.options ?? ""} aria-label={words.services}>
        {checks.length > 0 && (
          <Combobox.Group label={words.checksToFollow}>
            {checks.map(({ checkId, name, target }) => (
              <Combobox.Option key={checkId} value={checkId}>
                <bdi>{name}</bdi> <bdi className={textStyles.hint}>{target !== name && target}</bdi>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        )}
        {found.length > 0 && (
          <Combobox.Group label={words.existingServices}>
            {found.map((service) => (
              <Combobox.Option key={service.id} value={service.id}>
                <bdi>{service.name}</bdi>{" "}
                <span className={textStyles.hint}>{words.follows(service.follows)}</span>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        )}
        {mayCreate && (
          <Combobox.Option value={createValue}>{words.createService(text.trim())}</Combobox.Option>
        )}
        {isEmpty && <Combobox.Empty>{words.typeService}</Combobox.Empty>}
      </Combobox.Options>
      {more > 0 && <Combobox.Footer>{words.moreChecks(more)}</Combobox.Footer>}
    </Combobox.Dropdown>
  );
}

interface UnnamedCheck {
  readonly checkId: string;
  /** An address, which visitors should not see. */
  readonly name: string;
}

interface NameDialogProps {
  readonly check: UnnamedCheck;
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

/** Asks for the public name of a service whose check is named by its address. */
function NameDialog({ check, onClose, onName }: NameDialogProps) {
  const [name, setName] = useState("");
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.nameService}
      closeButtonProps={{ "aria-label": words.close }}
    >
      <FormLayout
        onSubmit={(event) => {
          event.preventDefault();
          // Events bubble from the dialog to the page's form, which must not be submitted as well.
          event.stopPropagation();
          if (name.trim() !== "") onName(name.trim());
        }}
      >
        <TextInput
          label={words.serviceName}
          description={words.nameServiceHint(check.name)}
          value={name}
          maxLength={255}
          required
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Row>
          <Button type="submit" disabled={name.trim() === ""}>
            {words.addNamedService}
          </Button>
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
        </Row>
      </FormLayout>
    </Modal>
  );
}

/** Adds checks and services to a card. The list of options stays open after each addition. */
function ServicePicker(props: ServicePickerProps) {
  const { card, services, onAdd } = props;
  const [text, setText] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const offers = useOffers(props, text);
  const add = (serviceId: string) => {
    setText("");
    onAdd(serviceId);
  };
  const create = useCreateService(({ id }) => add(id));
  const [unnamed, setUnnamed] = useState<UnnamedCheck | null>(null);
  const addCheck = (checkId: string, name: string) => {
    const existing = findServiceOf(services, checkId);
    if (existing !== undefined) add(existing.id);
    else if (isAddress(name)) setUnnamed({ checkId, name });
    else create.mutate({ name: name.slice(0, 255), follows: { checkIds: [checkId] } });
  };
  const choose = (value: string) => {
    const check = offers.checks.find(({ checkId }) => checkId === value);
    if (check !== undefined) addCheck(check.checkId, check.name);
    else if (value === createValue) create.mutate({ name: text.trim() });
    else add(value);
  };
  return (
    <>
      <Combobox store={combobox} onOptionSubmit={choose}>
        <Combobox.Target>
          <TextInput
            className={styles.picker ?? ""}
            aria-label={words.addServiceTo(card.name)}
            placeholder={words.addService}
            value={text}
            maxLength={255}
            error={create.error?.message}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              create.reset();
              combobox.openDropdown();
              combobox.selectFirstOption();
            }}
            onClick={() => combobox.openDropdown()}
            onFocus={() => combobox.openDropdown()}
            onBlur={() => combobox.closeDropdown()}
            onKeyDown={(event) => {
              // Enter selects an option and must not submit the form.
              if (event.key === "Enter") event.preventDefault();
            }}
          />
        </Combobox.Target>
        <OfferedOptions offers={offers} text={text} />
      </Combobox>
      {unnamed && (
        <NameDialog
          check={unnamed}
          onClose={() => setUnnamed(null)}
          onName={(name) => {
            setUnnamed(null);
            create.mutate({ name, follows: { checkIds: [unnamed.checkId] } });
          }}
        />
      )}
    </>
  );
}

interface CardBoxProps {
  readonly card: CardValues;
  readonly index: number;
  readonly editor: PageEditor;
  readonly services: Services;
  readonly error: unknown;
  readonly drag: Drag | null;
  readonly onGrab: (dragged: Dragged, event: PointerEvent<HTMLElement>) => void;
  readonly onStep: (dragged: Dragged, step: -1 | 1) => void;
}

function CardHead({ card, index, editor, error, onGrab, onStep }: CardBoxProps) {
  const { cards } = editor.values;
  const dragged = { kind: "card", cardKey: card.key } as const;
  return (
    <Row nowrap>
      <Handle
        name={card.name}
        id={card.key}
        onStep={(step) => onStep(dragged, step)}
        onGrab={(event) => onGrab(dragged, event)}
      />
      <TextInput
        className={styles.cardName ?? ""}
        aria-label={words.cardName}
        value={card.name}
        maxLength={255}
        required
        error={getFieldError(error, `cards.${index}.name`)}
        onChange={({ currentTarget }) =>
          editor.change({ cards: order.renameCard(cards, card.key, currentTarget.value) })
        }
      />
      <CrossButton
        label={words.removeCard(card.name)}
        onClick={() => editor.change({ cards: order.removeCard(cards, card.key) })}
      />
    </Row>
  );
}

function CardBox(props: CardBoxProps) {
  const { card, index, editor, services, error, drag, onGrab, onStep } = props;
  const { cards } = editor.values;
  const place = drag?.dragged.kind === "service" ? drag.place : null;
  const target = place?.cardKey === card.key ? place.index : null;
  const isCardTarget = drag?.dragged.kind === "card" && drag.place.index === index;
  const isDragged = drag?.dragged.kind === "card" && drag.dragged.cardKey === card.key;
  const fault = getFieldError(error, `cards.${index}.services`);
  return (
    <>
      {isCardTarget && <div className={styles.line} />}
      <Stack
        as="fieldset"
        gap={2}
        className={styles.card}
        data-card={card.key}
        data-dragged={isDragged}
      >
        <legend className="unseen">{words.card(card.name)}</legend>
        <CardHead {...props} />
        <Stack as="ul" gap={0}>
          {card.serviceIds.map((serviceId, at) => {
            const dragged = { kind: "service", cardKey: card.key, serviceId } as const;
            return (
              <ServiceRow
                key={serviceId}
                serviceId={serviceId}
                services={services}
                handleId={`${card.key} ${serviceId}`}
                isTarget={target === at}
                onStep={(step) => onStep(dragged, step)}
                onGrab={(event) => onGrab(dragged, event)}
                onRemove={() => editor.change({ cards: order.removeService(cards, dragged) })}
                onDeleted={() => editor.change({ cards: order.forgetService(cards, serviceId) })}
              />
            );
          })}
          {target === card.serviceIds.length && <li className={styles.line} />}
        </Stack>
        {fault && <p className={`${styles.picker} ${textStyles.bad}`}>{fault}</p>}
        <ServicePicker
          card={card}
          services={services}
          onAdd={(serviceId) =>
            editor.update((before) => ({
              ...before,
              cards: order.addService(before.cards, { cardKey: card.key, serviceId }),
            }))
          }
        />
      </Stack>
    </>
  );
}

const maxCards = 50;

export const nameHandle = (dragged: Dragged) =>
  dragged.kind === "card" ? dragged.cardKey : `${dragged.cardKey} ${dragged.serviceId}`;

/** Restores the focus after a move to another card, because the move creates a new element. */
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

/** Moves a card or service and announces the new position to screen readers. */
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

/** Focuses a new card's name and selects its text, so that typing replaces the text. */
function useFreshCard(root: RefObject<HTMLElement | null>) {
  const [key, setKey] = useState<string | null>(null);
  useEffect(() => {
    if (key === null) return;
    root.current?.querySelector<HTMLInputElement>(`[data-card="${key}"] input`)?.select();
    setKey(null);
  }, [key, root]);
  return setKey;
}

/** Counts the services that appear on a card and whose state depends on no check. */
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
