import { proxied } from '../stores/proxy.js';
import { url } from './database.js';

// A proxy to PostgreSQL in its own process. It delays what is sent to PostgreSQL by the milliseconds in its argument.

const proxy = await proxied(url, () => undefined, Number(process.argv[2]));
process.on('disconnect', () => process.exit());
process.send(proxy.url);
