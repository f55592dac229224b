import { connect } from 'node:net';
import { once } from 'node:events';

const PORTS = { 'postgres:': 5432, 'postgresql:': 5432, 'mysql:': 3306, 'mariadb:': 3306, 'redis:': 6379 };

/** Returns why no connection to the server of a URL is possible. `undefined` if it is possible. */
export async function reasonOfAbsence(url) {
  const { protocol, hostname, port } = new URL(url);
  const socket = connect(Number(port || PORTS[protocol]), hostname);
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return error.message || error.code;
  } finally {
    socket.destroy();
  }
}
