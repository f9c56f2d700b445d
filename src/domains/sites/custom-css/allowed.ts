export const maxCssBytes = 64 * 1024;

const borderParts = ["color", "style", "width"];

/** Class of the element that every rule of a custom style sheet is scoped to. */
export type SheetScope = "dashboard" | "status-page";

/** A custom style sheet as its author wrote it, and the page that it is for. */
export interface Sheet {
  readonly source: string;
  readonly scope: SheetScope;
}

/** Allow lists: everything else is removed from a custom style sheet. */

const boxSides = ["top", "right", "bottom", "left", "block", "inline"];
const logicalSides = ["block-start", "block-end", "inline-start", "inline-end"];
const allSides = [...boxSides, ...logicalSides];

const withSides = (name: string) => [name, ...allSides.map((side) => `${name}-${side}`)];
const corners = ["top-left", "top-right", "bottom-left", "bottom-right"];

/** No property that loads resources, leaves the page's flow, or intercepts clicks. */
export const allowedProperties: ReadonlySet<string> = new Set([
  ...withSides("margin"),
  ...withSides("padding"),
  ...withSides("border"),
  ...borderParts.flatMap((part) => [
    `border-${part}`,
    ...allSides.map((side) => `border-${side}-${part}`),
  ]),
  ...corners.map((corner) => `border-${corner}-radius`),
  ..."accent-color align-content align-items align-self".split(" "),
  ..."animation animation-delay animation-direction animation-duration".split(" "),
  ..."animation-fill-mode animation-iteration-count animation-name".split(" "),
  ..."animation-play-state animation-timing-function aspect-ratio".split(" "),
  ..."background background-clip background-color background-image".split(" "),
  ..."background-origin background-position background-repeat background-size".split(" "),
  ..."block-size border-collapse border-radius border-spacing box-shadow".split(" "),
  ..."box-sizing color color-scheme column-gap content display fill fill-opacity".split(" "),
  ..."filter flex flex-basis flex-direction flex-flow flex-grow flex-shrink".split(" "),
  ..."flex-wrap font font-family font-feature-settings font-kerning font-size".split(" "),
  ..."font-stretch font-style font-variant font-variant-caps".split(" "),
  ..."font-variant-numeric font-weight gap grid grid-area grid-auto-columns".split(" "),
  ..."grid-auto-flow grid-auto-rows grid-column grid-column-end".split(" "),
  ..."grid-column-start grid-row grid-row-end grid-row-start grid-template".split(" "),
  ..."grid-template-areas grid-template-columns grid-template-rows height".split(" "),
  ..."hyphens inline-size justify-content justify-items justify-self".split(" "),
  ..."letter-spacing line-height list-style-position list-style-type".split(" "),
  ..."max-block-size max-height max-inline-size max-width min-block-size".split(" "),
  ..."min-height min-inline-size min-width object-fit object-position".split(" "),
  ..."opacity order outline outline-color outline-offset outline-style".split(" "),
  ..."outline-width overflow overflow-wrap overflow-x overflow-y".split(" "),
  ..."place-content place-items place-self position quotes rotate row-gap".split(" "),
  ..."scale stroke stroke-dasharray stroke-linecap stroke-linejoin".split(" "),
  ..."stroke-opacity stroke-width tab-size text-align text-decoration".split(" "),
  ..."text-decoration-color text-decoration-line text-decoration-style".split(" "),
  ..."text-decoration-thickness text-indent text-overflow text-shadow".split(" "),
  ..."text-transform text-underline-offset text-wrap transform".split(" "),
  ..."transform-origin transition transition-delay transition-duration".split(" "),
  ..."transition-property transition-timing-function translate".split(" "),
  ..."vertical-align visibility white-space width word-break word-spacing".split(" "),
  ..."z-index".split(" "),
]);

/** The other values of `position` could put a box over the page. */
export const allowedPositions: ReadonlySet<string> = new Set([
  ..."static relative inherit initial unset revert".split(" "),
]);

/** Neither `url` nor any other function that accepts a URL, an attribute or a script. */
export const allowedFunctions: ReadonlySet<string> = new Set([
  ..."var calc min max clamp round mod rem abs sign".split(" "),
  ..."rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark".split(" "),
  ..."linear-gradient radial-gradient conic-gradient".split(" "),
  ..."repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient".split(" "),
  ..."translate translatex translatey translate3d translatez scale scalex scaley".split(" "),
  ..."scale3d scalez rotate rotatex rotatey rotatez rotate3d skew skewx skewy".split(" "),
  ..."matrix matrix3d perspective blur brightness contrast drop-shadow grayscale".split(" "),
  ..."hue-rotate invert opacity saturate sepia cubic-bezier steps linear".split(" "),
  ..."repeat minmax fit-content counter counters".split(" "),
]);

/** Properties in which quoted text is text and never a URL. */
export const propertiesWithText: ReadonlySet<string> = new Set([
  ..."content font font-family font-feature-settings grid grid-template".split(" "),
  ..."grid-template-areas list-style-type quotes text-overflow".split(" "),
]);

export const allowedPseudoClasses: ReadonlySet<string> = new Set([
  ..."hover focus focus-visible focus-within active link any-link empty root".split(" "),
  ..."first-child last-child only-child nth-child nth-last-child".split(" "),
  ..."first-of-type last-of-type only-of-type nth-of-type nth-last-of-type".split(" "),
  ..."not is where".split(" "),
]);

export const allowedPseudoElements: ReadonlySet<string> = new Set([
  ..."before after first-line first-letter marker".split(" "),
]);
