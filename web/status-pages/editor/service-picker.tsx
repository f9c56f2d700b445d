import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { foundChecksQuery } from "../../parts/queries.ts";
import textStyles from "../../parts/text.module.css";
import { useSettled } from "../../parts/use-settled.ts";
import styles from "./cards.module.css";
import type { CardValues } from "./page-values.ts";
import { findServiceOf, type Services, useCreateService } from "./services.ts";
import { words } from "./words.ts";

const maxShown = 50;
const settleMs = 200;
const createValue = "create";

interface ServicePickerProps {
  readonly card: CardValues;
  readonly services: Services;
  readonly onAdd: (serviceId: string) => void;
}

/**
 * Returns what can be added to a card: checks, existing services, and a service without a check.
 */
function useOffers({ card, services }: ServicePickerProps, text: string) {
  const wanted = text.trim().toLowerCase();
  const { data } = useQuery(foundChecksQuery(useSettled(text, settleMs).trim().slice(0, 255)));
  const isOn = (id: string | undefined) => id !== undefined && card.serviceIds.includes(id);
  const entries = data?.entries ?? [];
  const checks = entries.filter(({ checkId }) => !isOn(findServiceOf(services, checkId)?.id));
  const offered = new Set(checks.map(({ checkId }) => findServiceOf(services, checkId)?.id));
  // A service that follows an offered check is added through the check.
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
      <Combobox.Options className={styles.options ?? ""} aria-label={words.services}>
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

/** Adds checks and services. The list stays open after each. */
export function ServicePicker(props: ServicePickerProps) {
  const { card, services, onAdd } = props;
  const [text, setText] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const offers = useOffers(props, text);
  const add = (serviceId: string) => {
    setText("");
    onAdd(serviceId);
  };
  const create = useCreateService(({ id }) => add(id));
  const addCheck = (checkId: string, name: string) => {
    const existing = findServiceOf(services, checkId);
    if (existing !== undefined) add(existing.id);
    else create.mutate({ name: name.slice(0, 255), follows: { checkIds: [checkId] } });
  };
  const choose = (value: string) => {
    const check = offers.checks.find(({ checkId }) => checkId === value);
    if (check !== undefined) addCheck(check.checkId, check.name);
    else if (value === createValue) create.mutate({ name: text.trim() });
    else add(value);
  };
  return (
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
            // Enter selects an option; it must not submit the form.
            if (event.key === "Enter") event.preventDefault();
          }}
        />
      </Combobox.Target>
      <OfferedOptions offers={offers} text={text} />
    </Combobox>
  );
}
