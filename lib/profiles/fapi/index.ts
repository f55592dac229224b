export { fapi2, type Fapi2Options } from './fapi2.js';
