import { Type } from "typebox";

export const AddressList = Type.Array(Type.String());
export const AddressesByLocation = Type.Record(Type.String(), AddressList);
export const AddressText = Type.String({ description: "one address a line" });

export function toWireLines(addresses: readonly string[]): string {
  return addresses.map((address) => `${address}\n`).join("");
}
