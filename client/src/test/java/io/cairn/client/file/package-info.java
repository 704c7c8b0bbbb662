/** Tests of the package of the same name. */
package io.cairn.client.file;
