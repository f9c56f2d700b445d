import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { policiesQuery } from "./queries.ts";
import { words } from "./words.ts";

interface PolicySelectProps {
  readonly label: string;
  /** Label of the option without a policy. The label describes what applies instead. */
  readonly none: string;
  readonly value: string | null;
  readonly error?: ReactNode;
  readonly disabled?: boolean;
  readonly onChange: (policyId: string | null) => void;
}

/** Selects an escalation policy of the account. */
export function PolicySelect({ label, none, value, error, disabled, onChange }: PolicySelectProps) {
  const { data = [] } = useQuery(policiesQuery);
  const isKnown = value === null || data.some(({ id }) => id === value);
  return (
    <NativeSelect
      label={label}
      description={
        value === null ? (
          <Link to="/on-call/policies">{words.policies.edit}</Link>
        ) : (
          <Link to="/on-call/policies/$policyId" params={{ policyId: value }}>
            {words.policies.view}
          </Link>
        )
      }
      value={value ?? ""}
      error={error}
      disabled={disabled ?? false}
      onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
      data={[
        { value: "", label: none },
        ...(isKnown ? [] : [{ value, label: words.policies.unknown }]),
        ...data.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
