export { add } from './add.js';
export { feature, grant, storage } from './generate.js';
export { secrets } from './secrets.js';
