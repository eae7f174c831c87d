/** The version of this package; the tests compare it with that of `package.json`. */
export const VERSION = "0.1.0";
