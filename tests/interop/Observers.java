import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

import org.apache.fluo.api.client.TransactionBase;
import org.apache.fluo.api.config.FluoConfiguration;
import org.apache.fluo.api.config.SimpleConfiguration;
import org.apache.fluo.api.data.Bytes;
import org.apache.fluo.api.data.Column;
import org.apache.fluo.api.observer.Observer.NotificationType;
import org.apache.fluo.api.observer.ObserverProvider;
import org.apache.fluo.recipes.core.combine.ChangeObserver.Change;
import org.apache.fluo.recipes.core.combine.CombineQueue;
import org.apache.fluo.recipes.core.combine.SummingCombiner;
import org.apache.fluo.recipes.core.export.ExportQueue;
import org.apache.fluo.recipes.core.export.SequencedExport;

/** The observers of the test application. Each writes which process ran it. */
public final class Observers implements ObserverProvider {
  static final Column STRONG = new Column("s", "strong");
  static final Column WEAK = new Column("w", "weak");
  /** The column that a loader writes beside a weak notification. */
  static final Column MARK = new Column("w", "mark");
  /** The columns in which the observers count their runs, and name the last one's process. */
  static final Column STRONG_RUNS = new Column("seen", "strong");
  static final Column WEAK_RUNS = new Column("seen", "weak");
  static final Column SUM = new Column("sum", "total");

  /** The configuration of this process. */
  static FluoConfiguration site;

  /** The file of the exporter, one line for each entry. */
  private static final String EXPORTED = System.getProperty("peer.exported");

  /** Adds the observers, and the queues if the setting `fluo.app.queues` asks for them. */
  static void configure(FluoConfiguration config) {
    config.setObserverProvider(Observers.class);
    if (isBench(config.getAppConfiguration())) {
      return;
    }
    if (!hasQueues(config.getAppConfiguration())) {
      return;
    }
    CombineQueue.configure("sums").keyType(String.class).valueType(Long.class).buckets(7)
        .save(config);
    ExportQueue.configure("out").keyType(String.class).valueType(String.class).buckets(5)
        .save(config);
  }

  private static boolean hasQueues(SimpleConfiguration config) {
    return config.getBoolean("queues", false);
  }

  /** The shop has its own observers and queues. */
  private static boolean isShop(SimpleConfiguration config) {
    return config.getBoolean("shop", false);
  }

  /** A benchmark has one observer, which copies a value. */
  private static boolean isBench(SimpleConfiguration config) {
    return config.getBoolean("bench", false);
  }

  static CombineQueue<String, Long> combineQueue(SimpleConfiguration config) {
    return CombineQueue.getInstance("sums", config);
  }

  static ExportQueue<String, String> exportQueue(SimpleConfiguration config) {
    return ExportQueue.getInstance("out", config);
  }

  @Override
  public void provide(Registry registry, Context context) {
    if (isBench(context.getAppConfiguration())) {
      registry.forColumn(Bench.IN, NotificationType.STRONG).useObserver(Bench::copy);
      return;
    }
    if (isShop(context.getAppConfiguration())) {
      Shop.register(registry, context.getAppConfiguration(), site);
      return;
    }
    registry.forColumn(STRONG, NotificationType.STRONG)
        .useObserver((tx, row, column) -> count(tx, row, STRONG_RUNS));
    registry.forColumn(WEAK, NotificationType.WEAK)
        .useObserver((tx, row, column) -> count(tx, row, WEAK_RUNS));
    if (!hasQueues(context.getAppConfiguration())) {
      return;
    }
    combineQueue(context.getAppConfiguration()).registerObserver(registry, new SummingCombiner<>(),
        (tx, changes) -> {
          for (Change<String, Long> change : changes) {
            Long sum = change.getNewValue().orElse(0L);
            tx.set("sum:" + change.getKey(), SUM, Long.toString(sum));
          }
        });
    exportQueue(context.getAppConfiguration()).registerObserver(registry, entries -> {
      StringBuilder lines = new StringBuilder();
      while (entries.hasNext()) {
        SequencedExport<String, String> entry = entries.next();
        lines.append(entry.getKey()).append(' ').append(entry.getSequence()).append(' ')
            .append(entry.getValue()).append('\n');
      }
      append(lines.toString());
    });
  }

  private static void count(TransactionBase tx, Bytes row, Column column) {
    String before = tx.gets(row.toString(), column, "");
    tx.set(row, column, Bytes.of(before + "java,"));
  }

  private static synchronized void append(String lines) {
    try {
      Files.write(Paths.get(EXPORTED), lines.getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException error) {
      throw new java.io.UncheckedIOException(error);
    }
  }
}
