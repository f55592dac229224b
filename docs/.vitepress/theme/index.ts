import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';

import { keepTab } from './code-groups.js';
import Layout from './Layout.vue';
import './style.css';

/** The default theme of VitePress with the start of the home page and tabs that keep their selection. */
export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp() {
    if (!import.meta.env.SSR) keepTab();
  },
} satisfies Theme;
