/** What is watched for operators: health, disks, load, events. */
@NullMarked
package io.cairn.master.admin.watch;

import org.jspecify.annotations.NullMarked;
