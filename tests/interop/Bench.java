import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.fluo.api.client.FluoClient;
import org.apache.fluo.api.client.Snapshot;
import org.apache.fluo.api.client.Transaction;
import org.apache.fluo.api.client.TransactionBase;
import org.apache.fluo.api.data.Bytes;
import org.apache.fluo.api.data.Column;
import org.apache.fluo.api.exceptions.CommitException;

/** The work of the live benchmark of transactions, as the Rust side does it. */
final class Bench {
  static final Column IN = new Column("in", "value");
  static final Column OUT = new Column("out", "value");
  private static final Column PLAIN = new Column("f", "q");
  private static final long MIX = 0x9E3779B1L;
  private static final int ACCOUNTS = 1000;

  private interface Work {
    void run(long number) throws Exception;
  }

  private Bench() {}

  /** bench KIND THREADS COUNT ROUND; answers the time in microseconds. */
  static String run(FluoClient client, String[] words) throws Exception {
    int threads = Integer.parseInt(words[2]);
    int count = Integer.parseInt(words[3]);
    long round = Long.parseLong(words[4]);
    switch (words[1]) {
      case "fill":
        return time(threads, count, number -> fill(client, number));
      case "one-row":
        return time(threads, count, number -> set(client, "row", PLAIN, number, round));
      case "transfer":
        return time(threads, count, number -> transfer(client, round * 1_000_000 + number));
      case "load":
        return time(threads, count, number -> set(client, "doc", IN, number, round));
      case "scan":
        return scan(client);
      default:
        throw new IllegalArgumentException("unknown work " + words[1]);
    }
  }

  static void copy(TransactionBase tx, Bytes row, Column column) {
    Bytes value = tx.get(row, IN);
    tx.set(row, OUT, value == null ? Bytes.EMPTY : value);
  }

  private static String time(int threads, int count, Work work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    AtomicInteger next = new AtomicInteger();
    long begun = System.nanoTime();
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      running.add(executor.submit(() -> {
        for (int number = next.getAndIncrement(); number < count;) {
          try {
            work.run(number);
          } catch (CommitException conflict) {
            continue;
          }
          number = next.getAndIncrement();
        }
        return null;
      }));
    }
    for (Future<?> one : running) {
      one.get();
    }
    long took = System.nanoTime() - begun;
    executor.shutdown();
    return Long.toString(took / 1000);
  }

  private static void fill(FluoClient client, long number) {
    String row = String.format("%s:%04d", number < ACCOUNTS ? "a" : "b", number % ACCOUNTS);
    try (Transaction tx = client.newTransaction()) {
      tx.set(row, Peer.BALANCE, "1000");
      tx.commit();
    }
  }

  private static void set(FluoClient client, String prefix, Column column, long number, long round) {
    String row = String.format("%s:%08x:%d", prefix, number * MIX, round);
    try (Transaction tx = client.newTransaction()) {
      tx.set(row, column, "value");
      tx.commit();
    }
  }

  private static void transfer(FluoClient client, long number) {
    long mixed = number * MIX;
    String from = String.format("a:%04d", mixed % ACCOUNTS);
    String to = String.format("b:%04d", mixed / ACCOUNTS % ACCOUNTS);
    try (Transaction tx = client.newTransaction()) {
      long source = Long.parseLong(tx.gets(from, Peer.BALANCE));
      long target = Long.parseLong(tx.gets(to, Peer.BALANCE));
      tx.set(from, Peer.BALANCE, Long.toString(source - 1));
      tx.set(to, Peer.BALANCE, Long.toString(target + 1));
      tx.commit();
    }
  }

  /** Answers the time in microseconds and the number of cells. */
  private static String scan(FluoClient client) {
    long begun = System.nanoTime();
    long cells = 0;
    try (Snapshot snapshot = client.newSnapshot()) {
      for (Object cell : snapshot.scanner().build()) {
        cells++;
      }
    }
    return (System.nanoTime() - begun) / 1000 + " " + cells;
  }
}
