import type { Page } from 'playwright-core';

/** Styles of texts whose contrast was tested. The contrast of a text depends only on its style. */
export type TestedStyles = Set<string>;

/**
 * Returns the texts of a page with too little contrast, according to axe. Texts with a style in `tested` are left out,
 * and the styles of the page are added to `tested`: finding the background of every text takes axe most of its time.
 */
export async function findLowContrast(page: Page, tested: TestedStyles): Promise<string[]> {
  const { styles, problems } = await page.evaluate<{ styles: string[]; problems: string[] }>(
    `(${FIND})(${JSON.stringify([...tested])})`,
  );
  for (const style of styles) tested.add(style);
  return problems;
}

/** Runs in the browser. The style of a text includes everything that its ancestors draw behind it. */
const FIND = `async (tested) => {
  const drawn = new Map();
  const behind = (element) => {
    if (!element) return '';
    if (!drawn.has(element)) {
      const style = getComputedStyle(element);
      const own = [
        style.backgroundColor, style.backgroundImage, style.backgroundClip, style.opacity, style.filter,
        style.mixBlendMode, style.position, style.zIndex,
      ].join(' ');
      const outer = behind(element.parentElement);
      drawn.set(element, own === 'rgba(0, 0, 0, 0) none border-box 1 none normal static auto' ? outer : outer + '|' + own);
    }
    return drawn.get(element);
  };
  const known = new Set(tested);
  const fresh = [];
  const styles = [];
  for (const element of document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!(hasText || element.matches('input, select, textarea')) || !element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fill, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const style = [color, fill, fontSize, fontWeight, textShadow, behind(element)].join(' ');
    if (known.has(style)) continue;
    known.add(style);
    styles.push(style);
    fresh.push(element);
  }
  if (fresh.length === 0) return { styles, problems: [] };
  const { violations } = await axe.run(
    { include: fresh },
    { runOnly: ['color-contrast'], resultTypes: ['violations'], preload: false },
  );
  return { styles, problems: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)) };
}`;
