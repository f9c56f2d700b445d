import { useQuery } from "@tanstack/react-query";
import type { KindTarget } from "../../kinds/kind.ts";
import { builtInNames } from "../../kinds/variable-names.ts";
import { type Fields, getList, getNumber, getText } from "../../parts/fields.ts";
import { groupsQuery, variableKeysQuery } from "./lists.ts";

const listKeys = (variables: readonly Fields[]) =>
  variables.map((variable) => getText(variable, "key")).filter((key) => key !== "");

/**
 * Returns the variables available to this check: its own, its group's, the account's and the
 * built-in ones. `null` while loading, or if the check type has no variables.
 */
export function useVariableNames(values: Fields, kind: KindTarget | null): string[] | null {
  const isUsed = kind?.holdsVariables === true && JSON.stringify(values).includes("{{");
  const groupId = getNumber(values, "groupId");
  const { data: ofAccount } = useQuery({ ...variableKeysQuery, enabled: isUsed });
  const { data: groups } = useQuery({ ...groupsQuery, enabled: isUsed && groupId !== null });
  if (!isUsed || ofAccount === undefined) return null;
  if (groupId !== null && groups === undefined) return null;
  const group = groups?.find(({ id }) => id === groupId);
  const names = [
    ...listKeys(getList(values, "environmentVariables")),
    ...listKeys(getList({ ...group }, "environmentVariables")),
    ...ofAccount,
    ...builtInNames,
  ];
  return [...new Set(names)];
}
