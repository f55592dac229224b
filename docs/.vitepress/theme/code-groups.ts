const KEY = 'nest-oauth2:tab';

/** Remembers the selected tab of a code group and selects the tab of the same name in all groups, on all pages. */
export function keepTab(): void {
  document.addEventListener('change', ({ target }) => {
    const input = target as HTMLInputElement;
    if (!input.matches('.vp-code-group input')) return;
    const name = labelOf(input);
    localStorage.setItem(KEY, name);
    selectTab(name);
  });
}

/** Selects the remembered tab on a new page. */
export function restoreTab(): void {
  const name = localStorage.getItem(KEY);
  if (name !== null) selectTab(name);
}

const labelOf = (input: HTMLInputElement) => input.labels?.[0]?.dataset.title ?? '';

function selectTab(name: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('.vp-code-group input')) {
    if (labelOf(input) !== name) continue;
    const group = input.closest('.vp-code-group')!;
    const index = [...group.querySelectorAll('input')].indexOf(input);
    input.checked = true;
    for (const [at, block] of [...group.querySelector('.blocks')!.children].entries())
      block.classList.toggle('active', at === index);
  }
}
