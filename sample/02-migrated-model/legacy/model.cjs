'use strict';

// A model as it was written for oauth2-server 3.x: callbacks, generators, promises and plain values, as its author
// pleased. Moving to nest-oauth2 changed nothing in this file.

var tables = {
  clients: [
    {
      id: 'shop',
      secret: 'shop-secret',
      grants: ['client_credentials', 'password', 'refresh_token', 'urn:example:badge'],
      scope: 'orders:read orders:write',
    },
  ],
  users: [{ id: 7, username: 'ada', password: 'lovelace', badge: '1815' }],
  accessTokens: [],
  refreshTokens: [],
};

/** Stands in for a database driver of those days: it answers later, to a callback. */
function find(table, where, callback) {
  setImmediate(function () {
    var found = tables[table].find(function (row) {
      return Object.keys(where).every(function (name) {
        return row[name] === where[name];
      });
    });
    callback(null, found);
  });
}

function includesAll(granted, wanted) {
  return wanted.split(' ').every(function (value) {
    return granted.split(' ').indexOf(value) !== -1;
  });
}

module.exports = {
  // A Node callback, behind the arguments.
  getAccessToken: function (accessToken, callback) {
    find('accessTokens', { accessToken: accessToken }, callback);
  },

  // A generator: `yield` waits for a promise or a thunk, and `this` is the model.
  getClient: function* (clientId, clientSecret) {
    var where = { id: clientId };
    if (clientSecret) where.secret = clientSecret;
    return yield this.findOne('clients', where);
  },

  getUser: function (username, password, callback) {
    find('users', { username: username, password: password }, callback);
  },

  // A value.
  getUserFromClient: function (client) {
    return { id: client.id };
  },

  getRefreshToken: function* (refreshToken) {
    return yield function (callback) {
      find('refreshTokens', { refreshToken: refreshToken }, callback);
    };
  },

  // One row is removed once: of two requests that bring the same token, one is told so.
  revokeToken: function (token, callback) {
    var left = tables.refreshTokens.filter(function (row) {
      return row.refreshToken !== token.refreshToken;
    });
    var revoked = left.length < tables.refreshTokens.length;
    tables.refreshTokens = left;
    callback(null, revoked);
  },

  // A promise.
  saveToken: function (token, client, user) {
    var row = Object.assign({}, token, { client: client, user: user });
    tables.accessTokens.push(row);
    if (row.refreshToken) tables.refreshTokens.push(row);
    return Promise.resolve(row);
  },

  // Booleans, as the documents of 3.x had it.
  validateScope: function (user, client, scope) {
    return !scope || includesAll(client.scope, scope);
  },

  verifyScope: function (token, scope) {
    return Boolean(token.scope) && includesAll(token.scope, scope);
  },

  // No method of the library: the model's own.
  findOne: function (table, where) {
    return new Promise(function (resolve, reject) {
      find(table, where, function (error, row) {
        if (error) reject(error);
        else resolve(row);
      });
    });
  },
};
