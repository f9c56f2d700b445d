/** Colours as `#RGB` or `#RRGGBB`. */

function readChannels(color: string): readonly [number, number, number] {
  const digits = color.slice(1);
  const full = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const value = Number.parseInt(full, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function linearise(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function measureLuminance(color: string): number {
  const [red, green, blue] = readChannels(color);
  return 0.2126 * linearise(red) + 0.7152 * linearise(green) + 0.0722 * linearise(blue);
}

/** Returns the contrast ratio, from 1 (same colour) to 21 (black on white). */
export function measureContrast(one: string, other: string): number {
  const first = measureLuminance(one);
  const second = measureLuminance(other);
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** Mixes a share of the second colour, from 0 to 1, into the first. */
export function mixColors(one: string, other: string, share: number): string {
  const from = readChannels(one);
  const to = readChannels(other);
  const mixed = from.map((channel, index) => {
    const value = Math.round(channel + ((to[index] ?? 0) - channel) * share);
    return value.toString(16).padStart(2, "0");
  });
  return `#${mixed.join("")}`.toUpperCase();
}
